import { AT, contextOf } from '../testing.ts';
import {
  type ContentLossState,
  decideAcceptance,
  decideEnd,
  decideLosses,
  evolveContentLoss,
  initialContentLoss,
} from './content-loss.ts';
import type { ContentLossEvent } from './events.ts';

const NOW = Date.parse(AT);
const MINUTE = 60_000;

const given = (...events: readonly ContentLossEvent[]): ContentLossState =>
  events.map((event) => ({ ...contextOf(), ...event })).reduce(evolveContentLoss, initialContentLoss);

const counted = (documents: number): ContentLossEvent => ({
  type: 'ContentLossCounted',
  stage: 'views',
  sizes: { documents },
  payload: null,
});
const suspended = (documents: number): ContentLossEvent => ({
  type: 'ContentLossSuspended',
  stage: 'views',
  sizes: { documents },
  payload: null,
});
const accepted: ContentLossEvent = { type: 'ContentLossAccepted', payload: null };
const ended: ContentLossEvent = { type: 'ContentLossEnded', payload: null };

test('ten losses are recorded, also one after the other', () => {
  expect(decideLosses(given(), 10, 'views', NOW)).toEqual([counted(10)]);
  expect(decideLosses(given(counted(4), counted(5)), 1, 'views', NOW)).toEqual([counted(1)]);
});

test('more than ten within a minute suspend the recording', () => {
  expect(decideLosses(given(), 11, 'views', NOW)).toEqual([suspended(11)]);
  expect(decideLosses(given(counted(4), counted(6)), 1, 'views', NOW + MINUTE - 1)).toEqual([suspended(1)]);
  expect(decideLosses(given(counted(4), counted(6)), 1, 'views', NOW + MINUTE)).toEqual([counted(1)]);
});

test('suspended losses stay suspended, however long ago', () => {
  const state = given(counted(10), suspended(3));
  expect(state.suspended).toEqual({ at: NOW, documents: 3, by: 'views' });
  expect(decideLosses(state, 1, 'views', NOW + 24 * 60 * MINUTE)).toEqual([]);
});

test('after the acceptance losses are recorded without limit for an hour', () => {
  const state = given(suspended(300), accepted);
  expect(state.suspended).toBeNull();
  expect(decideLosses(state, 300, 'views', NOW + 60 * MINUTE - 1)).toEqual([]);
  expect(decideLosses(state, 300, 'views', NOW + 60 * MINUTE)).toEqual([suspended(300)]);
});

test('only suspended losses are accepted or ended', () => {
  expect(decideAcceptance(given(counted(3)))).toEqual({ ok: false, error: 'not_suspended' });
  expect(decideAcceptance(given(suspended(30)))).toEqual({ ok: true, value: [accepted] });
  expect(decideEnd(given(), 'views')).toEqual([]);
  expect(decideEnd(given(suspended(30)), 'views')).toEqual([ended]);
  expect(decideEnd(given(suspended(30)), 'stages')).toEqual([]);
  expect(given(suspended(30), ended).suspended).toBeNull();
});
