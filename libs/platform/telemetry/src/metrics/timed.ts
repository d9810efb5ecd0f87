type Listeners<T> = {
  readonly [K in keyof T]?: T[K] extends (...args: infer Args) => Promise<infer Result>
    ? (seconds: number, result: Result, ...args: Args) => void
    : never;
};

type Method = (...args: unknown[]) => unknown;

/** Returns the object with some methods timed. A listener hears of each call that resolves, not of one that rejects. */
export function timed<T extends object>(target: T, listeners: Listeners<T>): T {
  const methods = new Map<PropertyKey, Method>();
  for (const [name, listener] of Object.entries(listeners) as [keyof T & string, Method][]) {
    methods.set(name, async (...args) => {
      const begun = performance.now();
      const result = await (target[name] as Method)(...args);
      listener((performance.now() - begun) / 1_000, result, ...args);
      return result;
    });
  }
  return new Proxy(target, {
    get(object, key) {
      const method = methods.get(key);
      if (method !== undefined) return method;
      const value = Reflect.get(object, key, object);
      if (typeof value !== 'function') return value;
      // Private fields need the object itself as `this`.
      const bound = value.bind(object);
      methods.set(key, bound);
      return bound;
    },
  });
}
