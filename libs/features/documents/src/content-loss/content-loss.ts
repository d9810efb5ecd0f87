import { type ErasedEvent, err, ok, type Recorded, type Result } from '#platform/kernel';
import type { ContentLossEvent } from './events.ts';

/** Documents that may lose content within `WITHIN_MS` before nothing more is recorded: more point to a lost store. */
const MAX_DOCUMENTS = 10;
const WITHIN_MS = 60_000;
/** How long an acceptance lasts: the views find the lost documents one batch after the other. */
const ACCEPTED_MS = 3_600_000;

/** What has found documents without their content: the projection, a stage, or a request. Each of them tells when it is back. */
export type LossFinder = 'views' | 'stages' | 'reads';

/** Times in milliseconds since the Unix epoch. */
export interface ContentLossState {
  /** Losses that were recorded within a minute before the last one. */
  readonly recent: readonly { readonly at: number; readonly documents: number }[];
  /** Null: losses are recorded. */
  readonly suspended: { readonly at: number; readonly documents: number; readonly by: string | null } | null;
  readonly acceptedAt: number | null;
}

export const initialContentLoss: ContentLossState = { recent: [], suspended: null, acceptedAt: null };

export function evolveContentLoss(
  state: ContentLossState,
  event: Recorded<ContentLossEvent> | ErasedEvent,
): ContentLossState {
  if (event.type === 'erased') return initialContentLoss;
  const at = Date.parse(event.at);
  switch (event.type) {
    case 'ContentLossCounted': {
      const recent = [...state.recent, { at, documents: event.sizes?.documents ?? 0 }];
      return { ...state, recent: recent.filter((one) => one.at > at - WITHIN_MS) };
    }
    case 'ContentLossSuspended':
      return {
        ...state,
        suspended: { at, documents: event.sizes?.documents ?? 0, by: event.stage ?? null },
        acceptedAt: null,
      };
    case 'ContentLossAccepted':
      return { recent: [], suspended: null, acceptedAt: at };
    case 'ContentLossEnded':
      return { ...state, suspended: null };
  }
}

/** Documents have lost content. Nothing may be recorded in them if the state is suspended afterwards. */
export function decideLosses(
  { recent, suspended, acceptedAt }: ContentLossState,
  documents: number,
  by: LossFinder,
  now: number,
): readonly ContentLossEvent[] {
  if (suspended !== null || (acceptedAt !== null && now < acceptedAt + ACCEPTED_MS)) return [];
  const before = recent.filter(({ at }) => at > now - WITHIN_MS).reduce((sum, one) => sum + one.documents, 0);
  const type = before + documents > MAX_DOCUMENTS ? 'ContentLossSuspended' : 'ContentLossCounted';
  return [{ type, stage: by, sizes: { documents }, payload: null }];
}

export function decideAcceptance({
  suspended,
}: ContentLossState): Result<readonly ContentLossEvent[], 'not_suspended'> {
  return suspended === null ? err('not_suspended') : ok([{ type: 'ContentLossAccepted', payload: null }]);
}

/** The documents that were lacking content have it again, says what found them. */
export const decideEnd = ({ suspended }: ContentLossState, by: LossFinder): readonly ContentLossEvent[] =>
  suspended?.by !== by ? [] : [{ type: 'ContentLossEnded', payload: null }];
