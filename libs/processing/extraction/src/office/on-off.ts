import { type Attributes, attribute } from '../xml.ts';

/** Whether an element that switches something does so: without a value, it switches it on. */
export const isOn = (attributes: Attributes): boolean =>
  !['0', 'false', 'off'].includes(attribute(attributes, 'val') ?? '');
