export { callControl } from './call.ts';
export { type Run, serveControl } from './serve.ts';
