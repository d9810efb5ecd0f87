import { err, ok, type Result } from '#platform/kernel';
import type { DocumentEvent } from '../events.ts';
import type { DocumentState } from '../state.ts';
import type { Outdated } from './decide.ts';
import { type Summary, summaryFormed } from './summary.ts';

/** Records the summary of a document that has none for its present content. */
export function decideSummarized(
  state: DocumentState,
  version: number,
  summary: Summary,
): Result<readonly DocumentEvent[], Outdated> {
  if (state.status !== 'live' || state.contentVersion !== version || state.memories === null) return err('outdated');
  if (state.stage === 'failed' || state.isSummarized) return err('outdated');
  return ok([summaryFormed(version, summary)]);
}
