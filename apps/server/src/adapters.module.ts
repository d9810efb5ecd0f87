import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';

/** Hands what the start-up made to whoever asks for it by its token. */
@Global()
@Module({})
export class AdaptersModule {
  static of(values: ReadonlyMap<Exclude<Provider, { provide: unknown }> | symbol, unknown>): DynamicModule {
    const providers = [...values].map(([provide, useValue]) => ({ provide, useValue }) as Provider);
    return { module: AdaptersModule, providers, exports: [...values.keys()] };
  }
}
