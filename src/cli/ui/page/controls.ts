// Search field, selects, tabs and theme: what a person changes. It holds no state but what the controls show.

import { getElement, make } from './dom.ts';
import { type Filter, NO_FILTER } from './filter.ts';
import { type Readiness, WORD } from './readiness.ts';
import type { Store } from './store.ts';

const STATES: readonly Readiness[] = ['ready', 'notReady', 'pending', 'removing'];
const THEMES = ['auto', 'light', 'dark'] as const;
const THEME_KEY = 'dynamic-networks-theme';

export type View = 'list' | 'map';

export class Controls {
  readonly #search = getElement('search', HTMLInputElement);
  readonly #selects = {
    state: getElement('state', HTMLSelectElement),
    network: getElement('network', HTMLSelectElement),
    node: getElement('node', HTMLSelectElement),
    namespace: getElement('namespace', HTMLSelectElement),
  };
  readonly #tabs = { list: getElement('tab-list', HTMLButtonElement), map: getElement('tab-map', HTMLButtonElement) };
  readonly #onChange: () => void;
  #view: View = 'list';

  constructor(onChange: () => void) {
    this.#onChange = onChange;
    fillSelect(
      this.#selects.state,
      STATES.map((state) => [state, WORD[state]]),
    );
    const filters = getElement('filters', HTMLFormElement);
    filters.addEventListener('input', onChange);
    filters.addEventListener('submit', (event) => event.preventDefault());
    getElement('reset', HTMLButtonElement).addEventListener('click', () => this.set(NO_FILTER));
    for (const view of ['list', 'map'] as const) {
      this.#tabs[view].addEventListener('click', () => this.show(view));
      this.#tabs[view].addEventListener('keydown', (event) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
        const other = view === 'list' ? 'map' : 'list';
        this.show(other);
        this.#tabs[other].focus();
      });
    }
    document.addEventListener('keydown', (event) => {
      if (event.key !== '/' || document.activeElement instanceof HTMLInputElement) return;
      event.preventDefault();
      this.#search.focus();
      this.#search.select();
    });
    startTheme(getElement('theme', HTMLButtonElement));
    this.#markTabs();
  }

  get view(): View {
    return this.#view;
  }

  get filter(): Filter {
    const { state, network, node, namespace } = this.#selects;
    return {
      text: this.#search.value,
      state: STATES.find((each) => each === state.value) ?? '',
      network: network.value,
      node: node.value,
      namespace: namespace.value,
    };
  }

  set(filter: Partial<Filter>): void {
    if (filter.text !== undefined) this.#search.value = filter.text;
    for (const name of ['state', 'network', 'node', 'namespace'] as const) {
      const value = filter[name];
      if (value !== undefined) this.#selects[name].value = value;
    }
    this.#onChange();
  }

  show(view: View): void {
    this.#view = view;
    this.#markTabs();
    this.#onChange();
  }

  /** Networks that nobody defined may be asked for all the same, so they come from the pods as well. */
  offer(store: Store): void {
    const pods = [...store.pods.values()];
    const networks = new Set([
      ...store.networks.keys(),
      ...pods.flatMap((pod) => pod.interfaces.map(({ network }) => network)),
    ]);
    const same = (values: Iterable<string>): [string, string][] =>
      [...new Set(values)].sort().map((value) => [value, value]);
    fillSelect(this.#selects.network, same(networks));
    fillSelect(this.#selects.node, same(pods.map(({ node }) => node).filter(Boolean)));
    fillSelect(this.#selects.namespace, same(pods.map(({ namespace }) => namespace)));
  }

  #markTabs(): void {
    for (const view of ['list', 'map'] as const) {
      const isShown = view === this.#view;
      this.#tabs[view].setAttribute('aria-selected', String(isShown));
      this.#tabs[view].tabIndex = isShown ? 0 : -1;
      getElement(view, HTMLElement).hidden = !isShown;
    }
  }
}

/** Touches the options only when they differ: an open menu must not close under somebody's hand. */
const fillSelect = (select: HTMLSelectElement, options: readonly (readonly [string, string])[]): void => {
  const wanted = [['', 'all'] as const, ...options];
  const present = [...select.options].map(({ value }) => value);
  if (present.length === wanted.length && wanted.every(([value], index) => present[index] === value)) return;
  const chosen = select.value;
  select.replaceChildren(...wanted.map(([value, label]) => make('option', { attributes: { value } }, label)));
  select.value = wanted.some(([value]) => value === chosen) ? chosen : '';
};

const startTheme = (button: HTMLButtonElement): void => {
  const apply = (theme: string): void => {
    document.documentElement.dataset['theme'] = theme;
    button.textContent = `Theme: ${theme}`;
  };
  apply(THEMES.find((theme) => theme === localStorage.getItem(THEME_KEY)) ?? 'auto');
  button.addEventListener('click', () => {
    const index = THEMES.findIndex((theme) => button.textContent === `Theme: ${theme}`);
    const next = THEMES[(index + 1) % THEMES.length] ?? 'auto';
    localStorage.setItem(THEME_KEY, next);
    apply(next);
  });
};
