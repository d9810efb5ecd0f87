import { err, ok, type Recorded } from '#platform/kernel';
import type { ContentExtracted } from '../events.ts';
import {
  added,
  chunked,
  deleted,
  delta,
  done,
  embedded,
  extractedFrom,
  failed,
  formed,
  given,
  indexed,
  replaced,
  restarted,
  uploaded,
} from '../testing.ts';
import { decideReread } from './decide-reread.ts';

/** A file that was read and is done. @param reader null: by a program whose events name no version */
function read(reader: number | null) {
  const event: Recorded<ContentExtracted> = extractedFrom('read');
  const payload = { ...event.payload, ...(reader !== null && { reader }) };
  return [uploaded(), { ...event, payload }, chunked(), formed(), embedded(), indexed()] as const;
}

test.each([
  ['by a program without versions', null, 1],
  ['by a lower version', 1, 2],
  ['by a much lower version', 1, 7],
])('given a file that was read %s, then it is read again', (_, before, version) => {
  expect(decideReread(given(...read(before)), version)).toEqual(
    ok([{ type: 'ProcessingRestarted', contentVersion: 1, payload: null }]),
  );
});

test.each([
  ['was read by this version', given(...read(2)), 'current'],
  ['was read by a higher version', given(...read(3)), 'current'],
  ['waits to be read', given(uploaded()), 'in_work'],
  ['is being read again', given(...read(1), restarted()), 'in_work'],
  ['has failed', given(...read(1), restarted(), failed()), 'has_failed'],
  ['has a text added to it', given(...read(1), delta('more', 2), ...done(2)), 'has_texts'],
  ['has a text in place of it', given(...read(1), replaced('edited', 2, true), ...done(2)), 'has_texts'],
  ['is replaced by a text', given(...read(1), replaced('edited', 2), ...done(2)), 'no_file'],
  ['is deleted', given(...read(1), deleted()), 'not_found'],
] as const)('given a file that %s, then it is left alone', (_, state, refusal) => {
  expect(decideReread(state, 2)).toEqual(err(refusal));
});

test('given a document without a file, then it is left alone', () => {
  expect(decideReread(given(added(), ...done()), 2)).toEqual(err('no_file'));
  expect(decideReread(given(), 2)).toEqual(err('not_found'));
});

test('given a file that was read again, then it is current, and keeps the key of its ids', () => {
  const [, extracted, ...formedAgain] = read(2);
  const state = given(...read(1), restarted(), extracted, ...formedAgain);
  expect(decideReread(state, 2)).toEqual(err('current'));
  expect(state).toMatchObject({ stage: 'done', contentVersion: 1, unitKey: 'key-1', discarded: 1, reader: 2 });
});
