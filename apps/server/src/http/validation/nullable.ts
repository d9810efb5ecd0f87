const FIELDS = new WeakMap<object, Set<string>>();

/** Null in this field means that the value is to be cleared; in every other field it counts as absent. */
export const Nullable =
  (): PropertyDecorator =>
  (target, name): void => {
    const fields = FIELDS.get(target.constructor) ?? new Set();
    FIELDS.set(target.constructor, fields.add(name as string));
  };

/** Whether the class declares the field as nullable. */
export const isNullable = (type: object, name: string): boolean => FIELDS.get(type)?.has(name) ?? false;
