import { EventRows } from './event-rows.ts';
import { KeyedRows } from './keyed-rows.ts';
import type { ReadModel } from './read-model.ts';
import type { EventModelOptions, KeyedModelOptions, RowModelOptions, StateModelOptions } from './row-model-options.ts';
import { StateRows } from './state-rows.ts';

/** A read model whose rows follow from the final state of a stream. */
export function stateModel<State>(options: StateModelOptions<State>): ReadModel {
  return { ...declared(options), follows: 'state', projector: (sources) => new StateRows(options, sources) };
}

/** A read model whose rows follow from every event by itself. */
export function eventModel(options: EventModelOptions): ReadModel {
  return { ...declared(options), follows: 'events', projector: () => new EventRows(options) };
}

/** A read model whose rows have keys, by which events replace them one by one. */
export function keyedModel(options: KeyedModelOptions): ReadModel {
  return { ...declared(options), follows: 'events', projector: () => new KeyedRows(options) };
}

function declared({ name, version, columns, indexes = [], types, opens = types }: RowModelOptions) {
  return { name, types, opens, table: { name, version, columns, indexes } };
}
