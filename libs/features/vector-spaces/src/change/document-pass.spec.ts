import { type DocumentRepository, documentStream } from '#features/documents';
import { newId } from '#platform/kernel';
import type { EventStore } from '#ports/event-store';
import { DocumentPass } from './document-pass.ts';
import type { DocumentName } from './each-document.ts';

const COUNT = 100;
const ids = Array.from({ length: COUNT }, () => newId());

/** A log of the adds of `COUNT` documents. */
const store = {
  readAll: async () => ({
    events: ids.map((id) => ({ stream: documentStream('A'.repeat(22), id) })),
    position: null,
    end: true,
  }),
} as unknown as EventStore;
const documents = { peek: async () => ({ status: 'live' }) } as unknown as DocumentRepository;

let skipped: string[];
beforeEach(() => {
  skipped = [];
});

const openPass = () =>
  new DocumentPass(
    { documents, store },
    {
      ...{ signal: new AbortController().signal, pauses: [0, 0] },
      onProgress: () => {},
      onSkipped: ({ id }) => skipped.push(id),
    },
  );

test('a fault that all documents share ends the pass, and no document counts as failed', async () => {
  const pass = openPass();
  const work = async () => {
    throw new Error('no memory is left');
  };
  await expect(pass.run(work)).rejects.toMatchObject({
    code: 'documents_fail',
    kind: 'transient',
    message: expect.stringContaining('no memory is left'),
  });
  expect(skipped).toEqual([]);
});

test('so does one that half of the documents share', async () => {
  const work = async ({ id }: DocumentName) => {
    if (ids.indexOf(id) % 2 === 0) throw new Error('no memory is left');
  };
  await expect(openPass().run(work)).rejects.toMatchObject({ code: 'documents_fail' });
});

test('documents that fail for a while are worked on behind the others', async () => {
  const done = new Set<string>();
  await openPass().run(async ({ id }) => {
    if (ids.indexOf(id) % 10 === 3 && done.size < COUNT - 10) throw new Error('no memory is left');
    done.add(id);
  });
  expect(done.size).toBe(COUNT);
  expect(skipped).toEqual([]);
});

test('single documents that fail each time are left out, whatever the reason', async () => {
  const done: string[] = [];
  await openPass().run(async ({ id }) => {
    if (ids.indexOf(id) % 10 === 3) throw new Error('cannot be read');
    done.push(id);
  });
  expect(done).toHaveLength(COUNT - 10);
  expect(skipped).toHaveLength(10);
});
