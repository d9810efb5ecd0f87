// Runs a module of the newest build: node bin/run.js MODULE [ARGUMENT…]
import { runBuilt } from './builds.js';

const [module] = process.argv.splice(2, 1);
await runBuilt(module);
