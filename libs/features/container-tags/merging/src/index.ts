export { runMerges } from './run-merges.ts';
