/** A process that answers like one of a model, or hangs, or takes more and more memory, as the question asks. */
import type { Comparison } from './passages.child.ts';

const taken: Buffer[] = [];

process.on('disconnect', () => process.exit());
process.on('message', ({ id, question }: Comparison<string>) => {
  if (question === 'hang') return;
  if (question === 'grow') setInterval(() => taken.push(Buffer.alloc(32 * 1024 * 1024, 1)), 10);
  else process.send?.({ id, rssBytes: 0 });
});
