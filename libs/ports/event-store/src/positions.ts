import type { EventStore, Position } from './port.ts';

/** An event of the whole log. */
export interface EventRef {
  /** A whole number. */
  readonly position: number;
  /** As the store knows it. Empty: the beginning of the log. */
  readonly id: string;
}

/** Before the first event, in every log. */
const BEGINNING = '0';
/** Other positions of both stores are a whole number in decimal digits, a `-`, and the id of the event there. */
const POSITION = /^(0|[1-9]\d{0,15})-(\S{1,64})$/;

export function positionOf({ position, id }: EventRef): Position {
  return `${position}-${id}` as Position;
}

/** Returns null for any other text, leading zeros included, so that equal positions are equal texts. */
export function parsePosition(text: string): EventRef | null {
  if (text === BEGINNING) return { position: 0, id: '' };
  const [, digits, id] = POSITION.exec(text) ?? [];
  if (digits === undefined || id === undefined) return null;
  const position = Number(digits);
  return Number.isSafeInteger(position) ? { position, id } : null;
}

/** @throws RangeError for text that is not a position */
export function numberOf(position: Position): number {
  const event = parsePosition(position);
  if (event === null) throw new RangeError(`'${position}' is not a position of this event store`);
  return event.position;
}

/**
 * Whether a log holds the event of a position.
 * @param isThere asks the log; not called for the beginning, which every log has, or for a text that is no position
 */
export async function isHeld(position: Position, isThere: (event: EventRef) => Promise<boolean>): Promise<boolean> {
  const event = parsePosition(position);
  return event !== null && (event.id === '' || (await isThere(event)));
}

/** Whether the log holds the events of all these positions. */
export async function holdsAll(store: Pick<EventStore, 'holds'>, positions: readonly Position[]): Promise<boolean> {
  return (await Promise.all(positions.map((position) => store.holds(position)))).every(Boolean);
}
