/** Returns the index of the lowest set bit; `mask & (mask - 1)` clears it. @param mask not 0 */
export const lowestBit = (mask: number): number => 31 - Math.clz32(mask & -mask);
