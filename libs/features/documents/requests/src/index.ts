export { type AcceptedContent, type AcceptedDocument, acceptedAs } from './accepted-document.ts';
export { Admission, type Take } from './admission.ts';
export { IdempotencyKeys } from './idempotency-keys.ts';
export type { KeyedRequest, RecordedAnswer } from './keyed-request.ts';
export { IsMessages, messagesOf, userTurns } from './messages.ts';
export { PagedInput, type PagedOptions, pagedOptions, pageFrom, TaggedInput } from './paged.input.ts';
