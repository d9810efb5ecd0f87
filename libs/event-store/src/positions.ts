import type { Position } from './port.ts';

/** Positions of both stores are whole numbers in decimal digits. */
export function positionOf(position: number): Position {
  return String(position) as Position;
}

/** Returns null for any other text, leading zeros included, so that equal positions are equal texts. */
export function parsePosition(text: string): number | null {
  if (!/^(0|[1-9]\d{0,15})$/.test(text)) return null;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : null;
}

/** @throws RangeError for text that is not a position */
export function numberOf(position: Position): number {
  const number = parsePosition(position);
  if (number === null) throw new RangeError(`'${position}' is not a position of this event store`);
  return number;
}
