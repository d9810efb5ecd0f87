export { KeyFile } from './key-file.ts';
export { type MasterKey, parseMasterKeys } from './master-key.ts';
export {
  FixedMasterKeys,
  type MasterKeys,
  NoMasterKeys,
  OtherMasterKeyError,
  SealBrokenError,
} from './master-keys.ts';
export { hiddenName, keyIdOfFile, openFile, sealFile } from './sealed-file.ts';
export { keyIdOf, openValue, sealValue } from './sealed-value.ts';
export { TextSeal } from './text-seal.ts';
