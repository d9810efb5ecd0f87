export { createHttpApp } from './create-http-app.ts';
export { HttpModule } from './http.module.ts';
export { DEFAULT_MAX_BODY_BYTES, HTTP_OPTIONS, type HttpOptions } from './options.ts';
