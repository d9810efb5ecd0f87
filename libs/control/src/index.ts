export { callControl } from './call.ts';
export { type ControlServer, type Run, serveControl } from './serve.ts';
