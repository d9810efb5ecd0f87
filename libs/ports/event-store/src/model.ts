import type { RecordedEvent } from './port.ts';

/** How the state of a stream follows from its events. States are plain JSON, because they are stored as snapshots. */
export interface Model<State> {
  readonly name: string;
  /** Raised with every change of `evolve` or of the state's shape; snapshots of other versions are ignored. */
  readonly version: number;
  readonly initialState: State;
  /** Of a stream whose events were removed with the tools of the engine. Default: the initial state. */
  readonly removedState?: State;
  /** Whether work on the stream goes on, so that its state will be needed again soon. Default: no. */
  isInWork?(state: State): boolean;
  /** Pure. The payload is null if the event never had one or the stream was erased. */
  evolve(state: State, event: Pick<RecordedEvent, 'envelope' | 'payload'>): State;
}
