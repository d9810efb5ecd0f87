export { type AddressRefusal, type CalledAddress, calledAddress } from './called-address.ts';
export { headersToCaller, headersToProvider } from './passed-headers.ts';
export { KNOWN_PROVIDERS, type Provider, Providers } from './providers.ts';
export { serviceKeyOf } from './service-keys.ts';
