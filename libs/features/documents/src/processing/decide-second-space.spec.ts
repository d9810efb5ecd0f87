import { err, ok } from '#platform/kernel';
import {
  added,
  appended,
  deleted,
  done,
  embedded,
  embeddedBeside,
  extracted,
  failed,
  given,
  restarted,
} from '../testing.ts';
import { decideSecondSpace } from './decide-second-space.ts';

const OUTDATED = err('outdated');
const DONE = [added(), ...done(), embedded()];
const EVENT = { type: 'SecondSpaceEmbedded', contentVersion: 1, payload: { space: 'second-1' } };
const decide = (state: Parameters<typeof decideSecondSpace>[0], renewed = false) =>
  decideSecondSpace(state, 1, 'second-1', renewed);

test('given a document with vectors, then a second space is recorded, once', () => {
  expect(decide(given(...DONE))).toEqual(ok([EVENT]));
  expect(decide(given(...DONE, embeddedBeside()))).toEqual(OUTDATED);
  expect(decide(given(...DONE, embeddedBeside()), true)).toEqual(ok([EVENT]));
  expect(decide(given(...DONE, embeddedBeside(1, 'second-0')))).toEqual(ok([EVENT]));
});

test.each([
  ['no vectors yet', given(added(), ...done())],
  ['the same space as its own', given(...DONE, embedded(1, 'second-1'))],
  ['other content since', given(...DONE, appended(' world', 2))],
  ['its deletion', given(...DONE, deleted())],
  ['a failure', given(...DONE, failed())],
  ['work on it', given(added(), extracted())],
])('given %s, then nothing is recorded', (_, state) => {
  expect(decide(state)).toEqual(OUTDATED);
});

describe('the second space of a document', () => {
  const beside = [...DONE, embeddedBeside()];

  test('is not that of other content, or of passages that are formed again', () => {
    expect(given(...beside)).toMatchObject({ stage: 'done', vectorSpace: 'space-1', secondSpace: 'second-1' });
    expect(given(...beside, appended(' world', 2))).toMatchObject({ secondSpace: null });
    expect(given(...beside, failed(), restarted())).toMatchObject({ secondSpace: null });
  });

  test('stays if the own one changes, unless it becomes that one', () => {
    expect(given(...beside, embedded(1, 'space-2'))).toMatchObject({ secondSpace: 'second-1' });
    expect(given(...beside, embedded(1, 'second-1'))).toMatchObject({ vectorSpace: 'second-1', secondSpace: null });
  });

  test('is no change of the document', () => {
    const { updatedAt } = given(...DONE) as { updatedAt: number };
    expect(given(...beside)).toMatchObject({ updatedAt });
  });
});
