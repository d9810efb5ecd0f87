const FIELDS = new WeakMap<object, Set<string>>();

/** Null in this field means that the value is to be cleared; in every other field it counts as absent. */
export const Nullable =
  (): PropertyDecorator =>
  (target, name): void => {
    const fields = FIELDS.get(target.constructor) ?? new Set();
    FIELDS.set(target.constructor, fields.add(name as string));
  };

/** Whether the class, or one that it extends, declares the field as nullable. */
export function isNullable(type: object, name: string): boolean {
  for (let own: object | null = type; own !== null; own = Object.getPrototypeOf(own) as object | null) {
    if (FIELDS.get(own)?.has(name)) return true;
  }
  return false;
}
