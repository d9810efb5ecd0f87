export { IsString } from './class-validator.ts';
export { examplesOf, ShownBy } from './examples.ts';
export { type FieldSchema, fieldSchemas, orNull } from './field-schemas.ts';
export { InputError, invalid } from './input-error.ts';
export { Nullable } from './nullable.ts';
export { type Page, pageOfList } from './page.ts';
export { fieldsOf, readInput, type UnknownKeys } from './read-input.ts';
export {
  asDecorator,
  type Complaint,
  type InputClass,
  isObject,
  type Known,
  type KnownFields,
  Rule,
} from './rule.ts';
export { IsFlag, IsNested, IsOneOf, Required } from './rules/common.ts';
export { IsContainerTag, IsContainerTags, namedTags } from './rules/container-tags.ts';
export { dateIn, IsDateText, IsPastTime, momentOf } from './rules/date.ts';
export { IsEmailAddress } from './rules/email-address.ts';
export { IsAnyJson } from './rules/json.ts';
export { IsMemoryMetadata, IsMetadata, IsMetadataMatch } from './rules/metadata.ts';
export { IsChunkSize, IsFraction, IsOrdinal, IsWholeNumber } from './rules/numbers.ts';
export { IsProfileBuckets } from './rules/profile-buckets.ts';
export { IsTagPermissions } from './rules/tag-permissions.ts';
export { IsNotBlank, IsText } from './rules/text.ts';
export { IsNameList, IsOneOrMore, IsPathList, IsTextList } from './rules/text-list.ts';
