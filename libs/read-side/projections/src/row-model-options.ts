import type { RecordedEvent } from '#ports/event-store';
import type { RowTable, RowValues } from '#read-side/views';

/** What every read model with rows of its own declares. */
export interface RowModelOptions extends RowTable {
  readonly types: readonly string[];
  readonly opens?: readonly string[];
}

export interface StateModelOptions<State> extends RowModelOptions {
  readonly initialState: State;
  /** Folds the events of a stream that are of the model's types. Payloads of erased streams are null. */
  evolve(state: State, event: RecordedEvent): State;
  /** The rows that a stream comes to; they replace those that it had. */
  rowsOf(state: State, stream: string): readonly RowValues[];
}

export interface EventModelOptions extends RowModelOptions {
  /** The rows that an event adds. Payloads of erased streams are null. */
  rowsOf(event: RecordedEvent): readonly RowValues[];
  /** Whether an event removes the rows of all earlier events of its stream, e.g. because it erases the stream. */
  clears?(event: RecordedEvent): boolean;
}

/** What an event makes of a row. */
export interface KeyedRow {
  /** Names what the row belongs to, as a stream is named. */
  readonly owner: string;
  /** Of the row among those of its owner. */
  readonly key: string;
  /** Greater than that of every earlier event with the key. */
  readonly order: number;
  /** Null: there is no row any more. */
  readonly values: RowValues | null;
}

export interface KeyedModelOptions extends RowModelOptions {
  /** The rows that an event replaces. Payloads of erased streams are null, and replace nothing. */
  rowsOf(event: RecordedEvent): readonly KeyedRow[];
}
