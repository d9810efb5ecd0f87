import { type RecordedEvent, SYSTEM } from '#ports/event-store';
import { recordedRequest } from './recorded-request.ts';

const event = (revision: number, type: string, correlationId: string, actor = 'key:1') =>
  ({ revision, envelope: { type, correlationId, actor } }) as RecordedEvent;

test('given a request that was carried out, then it is found, so that it is not carried out again', () => {
  const events = [event(0, 'DocumentAdded', 'request-1'), event(1, 'ContentAppended', 'request-2')];
  expect(recordedRequest(events, 'request-2')).toEqual({ revision: 1, status: 'queued', isUndone: false });
});

test('given only what stages recorded because of a request, then the request has recorded nothing', () => {
  const events = [event(0, 'DocumentAdded', 'request-1'), event(1, 'StageStarted', 'request-2', SYSTEM)];
  expect(recordedRequest(events, 'request-2')).toBeNull();
});

test('given a document that the request added and deleted again, then it is undone', () => {
  const events = [event(0, 'DocumentAdded', 'request-1'), event(1, 'DocumentDeleted', 'request-1')];
  expect(recordedRequest(events, 'request-1')).toMatchObject({ isUndone: true });
});
