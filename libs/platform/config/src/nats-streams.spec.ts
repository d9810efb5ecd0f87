import { placement, streamLimits } from './nats-streams.ts';

test('limits are read in MiB, by the name of the stream', () => {
  expect(streamLimits('')).toEqual({});
  expect(streamLimits('blobs=2, rate-limits=1')).toEqual({ blobs: 2_097_152, 'rate-limits': 1_048_576 });
});

test.each(['blob=2', 'blobs', 'blobs=0', 'blobs=1.5', 'blobs=x', '=2'])('%s is no limit', (text) => {
  expect(() => streamLimits(text)).toThrow();
});

test('a placement names tags, a cluster, or both', () => {
  expect(placement('tag=ssd,tag=eu')).toEqual({ cluster: null, tags: ['ssd', 'eu'] });
  expect(placement('cluster=east, tag=ssd')).toEqual({ cluster: 'east', tags: ['ssd'] });
});

test.each(['east', 'tags=ssd', 'cluster=a,cluster=b', 'tag=', 'cluster=a b', ','])('%s is no placement', (text) => {
  expect(() => placement(text)).toThrow('must look like cluster=east,tag=ssd');
});
