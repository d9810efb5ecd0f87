import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';

/** Holds what the start-up made: the only place where a port meets its adapter. */
@Global()
@Module({})
export class AdaptersModule {
  static of(values: ReadonlyMap<Exclude<Provider, { provide: unknown }> | symbol, unknown>): DynamicModule {
    const providers = [...values].map(([provide, useValue]) => ({ provide, useValue }) as Provider);
    return { module: AdaptersModule, providers, exports: [...values.keys()] };
  }
}
