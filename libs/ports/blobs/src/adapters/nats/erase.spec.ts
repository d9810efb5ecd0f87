import type { RecordStream } from '#platform/nats';
import { encodeBlob } from './blob-record.ts';
import { eraseBlob } from './erase.ts';

const SECRET = 1;
const RECORD = 2;
const PARTS = [3, 4];

test('what was sealed is erased only when the erasure of its secret was confirmed', async () => {
  const erased: number[] = [];
  let isAway = true;
  const records = {
    erase: async (seq: number) => {
      if (isAway) throw new Error('NATS was killed');
      erased.push(seq);
      return true;
    },
  } as Partial<RecordStream> as RecordStream;
  const parts = { upload: 'x', length: 10, seqs: PARTS };
  const record = { subject: 'x', seq: RECORD, data: encodeBlob({ parts, secret: SECRET }), time: new Date() };
  await expect(eraseBlob(records, record)).rejects.toThrow('NATS was killed');
  expect(erased).toEqual([]);
  isAway = false;
  await eraseBlob(records, record);
  expect(erased).toEqual([SECRET, ...PARTS, RECORD]);
});
