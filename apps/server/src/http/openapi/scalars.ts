/** Types of fields in answers; the OpenAPI document takes the tags as keywords of JSON Schema. */

/**
 * UTC, with milliseconds.
 * @format date-time
 */
export type Timestamp = string;

/**
 * @minimum 0
 * @maximum 1
 */
export type Score = number;

/**
 * @asType integer
 * @minimum 0
 */
export type Count = number;
