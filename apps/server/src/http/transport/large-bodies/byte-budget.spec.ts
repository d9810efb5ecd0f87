import { ByteBudget } from './byte-budget.ts';

/** Returns whether the bytes are given, and the function that gives them back. */
function asking(budget: ByteBudget, bytes: number) {
  const state = { isGiven: false, release: () => {} };
  void budget.take(bytes).then((release) => Object.assign(state, { isGiven: true, release }));
  return state;
}

test('bytes are given in the order of asking, as far as there are any', async () => {
  const budget = new ByteBudget(10);
  const asked = [6, 5, 1, 20].map((bytes) => asking(budget, bytes));
  const given = async () => {
    await Promise.resolve();
    return asked.map(({ isGiven }) => isGiven);
  };
  expect(await given()).toEqual([true, false, false, false]);
  asked[0]?.release();
  expect(await given()).toEqual([true, true, true, false]);
  asked[1]?.release();
  expect(await given()).toEqual([true, true, true, false]);
  asked[2]?.release();
  expect(await given()).toEqual([true, true, true, true]);
});
