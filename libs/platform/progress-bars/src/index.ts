export { ProgressBars } from './progress-bars.ts';
