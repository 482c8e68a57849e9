// Regenerates cri/generated from cri/runtime.proto: `npm run generate`; another directory can be given as the argument.
// buf compiles the proto, ts-proto writes a grpc-js client and service definition.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const template = {
  version: 'v2',
  plugins: [
    {
      local: 'protoc-gen-ts_proto',
      out: process.argv[2] ?? 'cri/generated',
      opt: [
        'outputServices=grpc-js',
        'esModuleInterop=true',
        'forceLong=bigint',
        'importSuffix=.ts',
        'oneof=unions',
        'stringEnums=false',
        'enumsAsLiterals=true',
        'outputJsonMethods=false',
        'outputPartialMethods=true',
        'useOptionals=none',
      ],
    },
  ],
};

execFileSync('buf', ['generate', 'cri', '--template', JSON.stringify(template)], { cwd: root, stdio: 'inherit' });
