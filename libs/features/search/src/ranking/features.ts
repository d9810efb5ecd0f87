import { asksWhen } from '../analysis/phrases.ts';
import { dayOfIso, matchesDay, type PartialDate, shareWithin } from '../dates/calendar.ts';
import { namedDates } from '../dates/named-dates.ts';
import { spansIn } from '../dates/spans.ts';
import { ENDS_IN_QUESTION, HOLDS_TIME_WORD } from '../entries/unit.ts';
import { answerTypeOf, holdsAnswer } from './answer-type.ts';
import type { RankerInputs } from './inputs.ts';

/** In the order in which their shares are added up. */
export const FEATURES = [
  ...(['words', 'meaning', 'wide', 'near', 'core', 'documentWords', 'documentBest'] as const),
  ...(['namedSpeaker', 'otherSpeaker', 'question', 'time', 'date', 'relativeDate', 'answerType', 'previous'] as const),
] as const;
export type Feature = (typeof FEATURES)[number];
export type FeatureValues = Readonly<Record<Feature, number>>;

/** A unit of the base formula's best, with its speaker and the date of its document. */
export interface RankerUnit {
  /** By the base formula. */
  readonly score: number;
  readonly inputs: RankerInputs;
  /** The same for units of the same document. */
  readonly document: unknown;
  /** With the name of the speaker in front, unless markers around it named the speaker. */
  readonly text: string;
  readonly speaker: string | null;
  /** ISO 8601; the date of the turn where that is known. */
  readonly documentDate: string;
}

/** Returns the features of units, each 0…1; legs are scaled over these units. */
export function featuresOf(question: string, units: readonly RankerUnit[]): FeatureValues[] {
  const documentBest = new Map<unknown, number>();
  for (const { document, score } of units) {
    documentBest.set(document, Math.max(score, documentBest.get(document) ?? -Infinity));
  }
  const scaled = {
    words: scaling(units, ({ inputs }) => inputs.words),
    meaning: scaling(units, ({ inputs }) => inputs.meaning),
    wide: scaling(units, ({ inputs }) => inputs.wide),
    near: scaling(units, ({ inputs }) => inputs.near),
    core: scaling(units, ({ inputs }) => inputs.core),
    documentWords: scaling(units, ({ inputs }) => inputs.documentWords),
    documentBest: scaling(units, ({ document }) => documentBest.get(document) as number),
  };
  const best = Math.max(0, ...units.map(({ score }) => score));
  const asked = {
    when: asksWhen(question),
    dates: namedDates(question),
    type: answerTypeOf(question),
  };
  return units.map((unit) => ({
    words: scaled.words(unit),
    meaning: scaled.meaning(unit),
    wide: scaled.wide(unit),
    near: scaled.near(unit),
    core: scaled.core(unit),
    documentWords: scaled.documentWords(unit),
    documentBest: scaled.documentBest(unit),
    namedSpeaker: unit.inputs.speaker === 1 ? 1 : 0,
    otherSpeaker: unit.inputs.speaker === -1 ? 1 : 0,
    question: unit.inputs.flags & ENDS_IN_QUESTION ? 1 : 0,
    time: asked.when && unit.inputs.flags & HOLDS_TIME_WORD ? 1 : 0,
    ...dateFeatures(asked.dates, unit),
    answerType: asked.type !== null && holdsAnswer(asked.type, spoken(unit)) ? 1 : 0,
    // The unit before may be one that is not ranked, with a score above all of these.
    previous: best === 0 ? 0 : Math.min(1, Math.max(0, unit.inputs.previous) / best),
  }));
}

/** Scales to 0…1 over the units; 0 if all are equal. */
function scaling(units: readonly RankerUnit[], value: (unit: RankerUnit) => number): (unit: RankerUnit) => number {
  let min = Infinity;
  let max = -Infinity;
  for (const unit of units) {
    min = Math.min(min, value(unit));
    max = Math.max(max, value(unit));
  }
  return max > min ? (unit) => (value(unit) - min) / (max - min) : () => 0;
}

function dateFeatures(
  asked: readonly PartialDate[],
  { text, documentDate }: RankerUnit,
): Pick<FeatureValues, 'date' | 'relativeDate'> {
  const day = asked.length === 0 ? null : dayOfIso(documentDate);
  if (day === null) return { date: 0, relativeDate: 0 };
  let relativeDate = 0;
  for (const span of spansIn(text, day)) {
    for (const date of asked) relativeDate = Math.max(relativeDate, shareWithin(span, date));
  }
  return { date: asked.some((date) => matchesDay(date, day)) ? 1 : 0, relativeDate };
}

/** The words of a turn without the speaker's name. */
function spoken({ text, speaker }: RankerUnit): string {
  const colon = text.indexOf(':');
  return speaker !== null && text.slice(0, colon + 1).includes(speaker) ? text.slice(colon + 1) : text;
}
