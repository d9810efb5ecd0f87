import type { SummaryFormed } from '../events.ts';
import type { Live } from '../state.ts';
import { SUMMARIZING } from './progress.ts';

/** Null: the document has no text. */
export type Summary = string | null;

export function summaryFormed(version: number, summary: Summary): SummaryFormed {
  return { type: 'SummaryFormed', contentVersion: version, stage: SUMMARIZING, payload: { summary } };
}

/** @param summary undefined: there is no new one */
export function otherSummary(
  { contentVersion, isSummarized, summary: present }: Live,
  summary: Summary | undefined,
): readonly SummaryFormed[] {
  const isSame = summary === undefined || (isSummarized && summary === present);
  return isSame ? [] : [summaryFormed(contentVersion, summary)];
}
