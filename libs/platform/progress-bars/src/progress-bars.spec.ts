import { PassThrough } from 'node:stream';
import { ProgressBars } from './progress-bars.ts';

const FORMAT = { format: '{name} {percentage} %' };

test('on() returns null if the output is not a terminal', () => {
  expect(ProgressBars.on(new PassThrough(), FORMAT)).toBeNull();
});

test('shows the last state of a bar per key', () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  const bars = ProgressBars.on(terminal, FORMAT);
  bars?.show('a', 0, 4, { name: 'first' });
  bars?.show('b', 0, 2, { name: 'second' });
  bars?.show('a', 4, 4, { name: 'first' });
  bars?.show('b', 1, 4, { name: 'second, of more' });
  bars?.end();
  const shown = String(terminal.read());
  expect(shown).toContain('first 100 %');
  expect(shown).toContain('second, of more 25 %');
});
