export { callControl } from './call.ts';
export { type ControlServer, type Run, serveControl, VersionMismatchError } from './serve.ts';
