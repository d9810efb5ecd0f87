import { Seals } from './seals.ts';

/** A store of secrets, which processes share. */
function secrets() {
  const values = new Map<string, string>();
  return {
    values,
    get: async ({ name }: { readonly name: string }) => values.get(name) ?? null,
    put: async ({ name }: { readonly name: string }, value: string) => void values.set(name, value),
    list: async () =>
      [...values.keys()].map((name) => ({ organization: 'installation', name, changedAt: 0, key: 'k', opens: true })),
  };
}

test('one process opens what another one has sealed, for the same purpose, and makes the same of it', async () => {
  const store = secrets();
  const [one, other] = [new Seals(store, 'oauth'), new Seals(store, 'oauth')];
  // Both need the first key at the same moment.
  const sealed = await Promise.all([one.seal('code', { a: 1 }), other.seal('code', { a: 1 })]);
  const opened = await Promise.all([one.open('code', sealed[1]), other.open('code', sealed[0])]);
  expect(opened.map((each) => each?.content)).toEqual([{ a: 1 }, { a: 1 }]);
  const again = await other.open('code', await one.seal('code', { a: 1 }));
  expect(again?.derive('x')).toBe((await new Seals(store, 'oauth').open('code', sealed[0]))?.derive('x'));
  expect(again?.derive('x')).toMatch(/^[\w-]{43}$/);
  expect(again?.derive('y')).not.toBe(again?.derive('x'));
  expect(await one.open('refresh', sealed[0])).toBeNull();
  const before = store.values.size;
  await new Seals(store, 'oauth').seal('code', {});
  expect(store.values.size).toBe(before);
});

test('what another installation has sealed, or was changed, does not open', async () => {
  const seals = new Seals(secrets(), 'oauth');
  const sealed = await seals.seal('client', { a: 1 });
  expect(await new Seals(secrets(), 'oauth').open('client', sealed)).toBeNull();
  for (const text of [
    `${sealed}A`,
    sealed.slice(0, -2),
    sealed.slice(23),
    `${'x'.repeat(22)}.AAAA`,
    '',
    'https://x.example/c',
  ]) {
    expect([text, await seals.open('client', text)]).toEqual([text, null]);
  }
});

test('a store that cannot be reached is asked again', async () => {
  const store = secrets();
  let isOut = true;
  const seals = new Seals(
    {
      ...store,
      list: async () => {
        if (isOut) throw new Error('out');
        return store.list();
      },
    },
    'oauth',
  );
  await expect(seals.seal('code', {})).rejects.toThrow('out');
  isOut = false;
  expect(await seals.seal('code', {})).toContain('.');
});
