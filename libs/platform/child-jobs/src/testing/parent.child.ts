import { Pool } from '../index.ts';

const [folder = '', input = ''] = process.argv.slice(2);
const pool = new Pool({ folder, size: 2 });
const MIB = 1024 * 1024;
const kind = {
  name: 'fixture',
  entry: new URL('./fixture.child.ts', import.meta.url),
  limits: { rssBytes: 1024 * MIB, heapMb: 256, ms: 600_000, outputBytes: MIB },
  shortBytes: 1000,
  ahead: 0,
};
await pool.run({ kind, params: { do: 'compute' }, input: { path: input }, bytes: 1, turn: 'a' }, async () => null);
