import type { Methods, Remote } from './calls.ts';

/** Every method of a port by its name. A port that gains a method does not compile until it is named here too. */
export type MethodNames<Port> = Readonly<Record<keyof Port & string, true>>;

type AnyMethod = (...args: readonly unknown[]) => unknown;

/**
 * Returns a port whose methods all lead to `forward`.
 * @param forward receives the call as a function of the port that is to answer it
 */
export function proxyPort<Port extends Methods<Port>>(
  names: MethodNames<Port>,
  forward: (call: <T>(target: Port) => Promise<T>) => Promise<unknown>,
): Port {
  return portOf(names, (method, args) =>
    forward(async (target) => (target[method] as unknown as AnyMethod).call(target, ...args) as never),
  );
}

/** Returns the port that another thread serves; each method is a call to that thread. */
export function remotePort<Port extends Methods<Port>>(names: MethodNames<Port>, remote: Remote<Port>): Port {
  return portOf(names, (method, args) => (remote.call as AnyMethod)(method, ...args));
}

function portOf<Port>(
  names: MethodNames<Port>,
  call: (method: keyof Port & string, args: readonly unknown[]) => unknown,
): Port {
  const methods = Object.keys(names) as (keyof Port & string)[];
  return Object.fromEntries(methods.map((method) => [method, (...args: unknown[]) => call(method, args)])) as Port;
}
