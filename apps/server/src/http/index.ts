export { createHttpApp } from './create-http-app.ts';
export { ApiError, STATUS_OF } from './errors/api-error.ts';
export { errorBody } from './errors/error-body.ts';
export { HttpModule } from './http.module.ts';
export { DEFAULT_MAX_BODY_BYTES, type HttpOptions } from './options.ts';
export { NATS_ADDRESS } from './transport/over-nats.ts';
