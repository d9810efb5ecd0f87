import { WrongKeys } from './wrong-keys.ts';

/** Returns a counter of wrong keys at a clock that stands still, and what it has reported. */
function observed() {
  const reported = { lines: [] as string[], counted: 0 };
  const clock = { time: 0, now: () => clock.time };
  const logger = { debug: () => {}, info: () => {}, warn: (line: string) => reported.lines.push(line) };
  const metrics = { wrongKeyRepeated: () => (reported.counted += 1) };
  const wrongKeys = new WrongKeys({ logger, metrics: metrics as never }, clock);
  const send = (address: string, times: number) => {
    for (let i = 0; i < times; i += 1) wrongKeys.add(address);
  };
  return { reported, clock, send };
}

test('twenty wrong keys of an address within a minute are not reported', () => {
  const { reported, send } = observed();
  send('192.0.2.1', 20);
  send('192.0.2.2', 20);
  expect(reported).toEqual({ lines: [], counted: 0 });
});

test('each further one is counted, and the first of them is logged with the address', () => {
  const { reported, clock, send } = observed();
  send('192.0.2.1', 20);
  clock.time = 59_999;
  send('192.0.2.1', 5);
  send('192.0.2.2', 1);
  expect(reported).toEqual({
    lines: ['More than 20 requests with a wrong key within a minute from 192.0.2.1'],
    counted: 5,
  });
});

test('a minute after the first one, counting starts again', () => {
  const { reported, clock, send } = observed();
  send('192.0.2.1', 21);
  clock.time = 60_000;
  send('192.0.2.1', 20);
  expect(reported).toMatchObject({ lines: [expect.any(String)], counted: 1 });
  send('192.0.2.1', 1);
  expect(reported).toMatchObject({ lines: [expect.any(String), expect.any(String)], counted: 2 });
});

test('of very many addresses, those of the latest wrong keys are remembered', () => {
  const { reported, send } = observed();
  send('first', 20);
  for (let i = 0; i < 10_000; i += 1) send(`address ${i}`, 1);
  send('first', 20);
  send('address 9999', 20);
  expect(reported.lines).toEqual(['More than 20 requests with a wrong key within a minute from address 9999']);
});
