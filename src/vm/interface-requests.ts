// Requests to plug or unplug an interface of a machine, as people leave them on it: `dynamic-networks.io/interface-requests` of
// the VirtualMachine, or its `status.interfaceRequests` where the schema has that field. One that is done is taken off.
import { isJsonObject, quote } from '../model/json.ts';
import { hasObject, objectIn, textIn } from '../model/json-fields.ts';
import { problem, type VmProblem } from './vm-problem.ts';

export const INTERFACE_REQUESTS_ANNOTATION = 'dynamic-networks.io/interface-requests';

interface Request {
  /** Name of the interface and of its network in the machine's spec. */
  readonly name: string;
  /** Whether it is meant for the machine's next start as well, or for the running one alone. */
  readonly isPersistent: boolean;
}

export interface AddRequest extends Request {
  readonly verb: 'add';
  /** `name` or `namespace/name` of the NetworkAttachmentDefinition. */
  readonly definition: string;
  readonly mac: string | undefined;
}

export interface RemoveRequest extends Request {
  readonly verb: 'remove';
}

export type InterfaceRequest = AddRequest | RemoveRequest;

export type ParsedRequest =
  | { readonly ok: true; readonly request: InterfaceRequest; readonly raw: unknown }
  | { readonly ok: false; readonly problem: VmProblem; readonly raw: unknown };

export type ParsedRequests =
  | { readonly ok: true; readonly requests: readonly ParsedRequest[] }
  | { readonly ok: false; readonly problem: VmProblem };

/** The annotation's text: a JSON list. One that is no list is left for its author to repair. */
export const parseRequestsText = (text: string | undefined): ParsedRequests => {
  if (text === undefined || text.trim() === '') return { ok: true, requests: [] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (Array.isArray(value)) return { ok: true, requests: parseRequests(value) };
  const message = `${INTERFACE_REQUESTS_ANNOTATION} is no JSON list: ${quote(text)}; correct it, or remove it`;
  return { ok: false, problem: problem('InvalidInterfaceRequest', message) };
};

export const parseRequests = (values: readonly unknown[]): readonly ParsedRequest[] => values.map(parseRequest);

const parseRequest = (raw: unknown): ParsedRequest => {
  const invalid = (what: string): ParsedRequest => ({
    ok: false,
    raw,
    problem: problem('InvalidInterfaceRequest', `the interface request ${quote(raw)} ${what}; it was dropped`),
  });
  if (hasObject(raw, 'addInterfaceOptions') === hasObject(raw, 'removeInterfaceOptions')) {
    return invalid('must have either addInterfaceOptions or removeInterfaceOptions');
  }
  const verb = hasObject(raw, 'addInterfaceOptions') ? 'add' : 'remove';
  const options = objectIn(raw, `${verb}InterfaceOptions`);
  const name = textIn(options, 'name');
  if (!name) return invalid('names no interface');
  const isPersistent = !(isJsonObject(raw) && raw['persist'] === false);
  if (verb === 'remove') return { ok: true, raw, request: { verb, name, isPersistent } };
  const definition = textIn(options, 'networkAttachmentDefinitionName');
  if (!definition) return invalid('names no networkAttachmentDefinitionName');
  const mac = textIn(options, 'macAddress') || undefined;
  return { ok: true, raw, request: { verb, name, isPersistent, definition, mac } };
};

/** The form that is written; `parseRequestsText` reads it back. */
export const rawRequest = (request: InterfaceRequest): Readonly<Record<string, unknown>> =>
  request.verb === 'remove'
    ? { removeInterfaceOptions: { name: request.name }, persist: request.isPersistent }
    : {
        addInterfaceOptions: {
          networkAttachmentDefinitionName: request.definition,
          name: request.name,
          ...(request.mac !== undefined && { macAddress: request.mac }),
        },
        persist: request.isPersistent,
      };

/** The annotation's text with one more request at its end; throws nothing, and keeps what others asked for. */
export const withRequest = (text: string | undefined, request: InterfaceRequest): string => {
  const parsed = parseRequestsText(text);
  const present = parsed.ok ? parsed.requests.map(({ raw }) => raw) : [];
  return JSON.stringify([...present, rawRequest(request)]);
};
