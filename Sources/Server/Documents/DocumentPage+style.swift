/// What the page looks like, and what makes it livelier. Both are sent as files of their own: the page allows
/// nothing inline.
extension DocumentPage {
    /// Filters the calls while somebody types, and offers to copy examples.
    static let script = """
        (() => {
          const field = document.querySelector('.search'), input = document.getElementById('search');
          const calls = [...document.querySelectorAll('.call')];
          const found = document.getElementById('found');
          const words = calls.map(call => call.textContent.toLowerCase());
          field.hidden = false;
          input.addEventListener('input', () => {
            const wanted = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
            let count = 0;
            calls.forEach((call, index) => {
              const fits = wanted.every(word => words[index].includes(word));
              call.hidden = !fits;
              if (fits) count += 1;
            });
            document.body.classList.toggle('searching', wanted.length > 0);
            document.querySelectorAll('section').forEach(section => {
              const own = [...section.querySelectorAll('.call')];
              section.hidden = wanted.length > 0 && !own.some(call => !call.hidden);
            });
            found.textContent = wanted.length ? (count === 1 ? '1 call' : count + ' calls') : '';
          });
          if (!navigator.clipboard) return;
          for (const example of document.querySelectorAll('.curl')) {
            const button = document.createElement('button');
            button.type = 'button';
            button.className = 'button copy';
            button.textContent = 'Copy';
            button.addEventListener('click', async () => {
              await navigator.clipboard.writeText(example.querySelector('code').textContent);
              button.textContent = 'Copied';
              setTimeout(() => { button.textContent = 'Copy'; }, 2000);
            });
            example.append(button);
          }
        })();

        """

    static let style = tokens + ground + parts

    private static let tokens = """
        :root {
          color-scheme: light dark;
          --paper: #f4f6f3; --surface: #fff; --sunken: #e9ede8;
          --ink: #17211d; --soft: #47534d; --line: #d3dad4; --edge: #74807a;
          --action: #1d4f9f; --action-strong: #153c7b; --focus: #b84a00;
          --board: #14392f; --on-board: #fff;
          --warn: #734600; --warn-ground: #fcefd0; --info: #1d4f9f; --info-ground: #e4edfa;
          --sans: system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
          --mono: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #111614; --surface: #1a211e; --sunken: #252e2a;
            --ink: #e8eeea; --soft: #b0bcb5; --line: #36413b; --edge: #7d8a83;
            --action: #9cc2ff; --action-strong: #c4dbff; --focus: #ffb25c;
            --board: #0d2b23; --on-board: #f2f7f4;
            --warn: #f3c873; --warn-ground: #38290a; --info: #a9caff; --info-ground: #182c4d;
          }
        }

        """

    private static let ground = """
        *, *::before, *::after { box-sizing: border-box }
        [hidden] { display: none !important }
        html { font: 100%/1.5 var(--sans); scroll-padding-block: 4.5rem; background: var(--paper); color: var(--ink) }
        body { margin: 0; overflow-wrap: anywhere }
        h1, h2, h3, p, ul, dl, dd, pre { margin: 0; padding: 0 }
        h1 { font-size: clamp(1.625rem, 1.35rem + 1.2vw, 2.125rem); line-height: 1.2 }
        h2 { font-size: 1.375rem; line-height: 1.35 }
        h3 { font-size: 1.0625rem }
        a { color: var(--action); text-underline-offset: .18em }
        a:hover { color: var(--action-strong) }
        :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: .25rem }
        code, pre { font-family: var(--mono); font-size: .9em }
        .soft, .hint { color: var(--soft); font-weight: 400 }
        .skip { position: absolute; top: -10rem; z-index: 9; padding: .75rem 1rem; background: var(--surface) }
        .skip:focus { top: .5rem }
        .bar { position: sticky; top: 0; z-index: 5; display: flex; align-items: center; gap: .75rem;
          min-height: 3.5rem; padding-inline: 1rem; background: var(--board); color: var(--on-board) }
        .bar a, .bar button { display: flex; align-items: center; min-height: 2.75rem; border: 0; background: none;
          color: inherit; font: inherit; font-weight: 650; text-decoration: none; cursor: pointer }
        .bar-menu { margin-inline-start: auto }
        .bar-version { opacity: .8; font-size: .8125rem }
        .frame { display: grid; grid-template-columns: minmax(0, 1fr) }
        .main { min-width: 0; max-width: 72rem; width: 100%; padding: 1.5rem 1rem 3rem }
        .main > * + *, section > * + * { margin-top: 1rem }
        section { padding-top: 2rem }
        .reading { max-width: 52rem }
        .side, .side[popover] { margin: 0; padding: 1rem .75rem; max-height: none; overflow: auto; border: 0;
          border-inline-end: 1px solid var(--line); background: var(--surface); color: inherit }
        .side h2 { padding-inline: .75rem; margin-block: 1rem .25rem; font-size: .8125rem; color: var(--soft) }
        .menu { list-style: none }
        .menu a { display: flex; align-items: center; min-height: 2.75rem; padding: .25rem .75rem; border-radius: .5rem;
          color: var(--ink); text-decoration: none; line-height: 1.3 }
        .menu a:hover { background: var(--sunken) }
        @media (max-width: 63.99rem) {
          .side[popover] { position: fixed; inset: 0 auto 0 0; width: min(19rem, 86vw); height: 100% }
          .side::backdrop { background: rgb(10 16 13 / .55) }
        }
        @media (min-width: 64rem) {
          .frame-side { grid-template-columns: 16.5rem minmax(0, 1fr) }
          .side[popover] { display: block; position: sticky; inset: 3.5rem auto auto auto; width: auto;
            height: calc(100vh - 3.5rem) }
          .main { padding: 2rem 2rem 3rem }
          .bar-menu { display: none !important }
        }

        """

    private static let parts = """
        .input { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit; color: var(--ink);
          background: var(--surface); border: 1px solid var(--edge); border-radius: .5rem }
        label { display: block; font-weight: 600 }
        .search { padding-inline: .75rem }
        .searching .reading, .searching #standings, .searching #problems, .searching #shapes { display: none }
        .card { background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem 1.5rem;
          min-width: 0 }
        .card > * + * { margin-top: .75rem }
        .path { font-size: 1rem }
        .tag { display: inline-block; padding: .1rem .55rem; border-radius: 99rem; font-size: .8125rem; font-weight: 600;
          color: var(--soft); background: var(--sunken); white-space: nowrap }
        .tag-line { background: none; box-shadow: inset 0 0 0 1px var(--edge) }
        .tag-warn { color: var(--warn); background: var(--warn-ground) }
        .curl { position: relative; padding: .75rem 1rem; border-radius: .5rem; background: var(--sunken); overflow: auto }
        .curl code { white-space: pre-wrap }
        .button { min-height: 2.75rem; padding: .25rem .75rem; border: 1px solid var(--edge); border-radius: .5rem;
          background: var(--surface); color: var(--ink); font: inherit; font-size: .8125rem; font-weight: 600; cursor: pointer }
        .copy { display: block; margin-top: .5rem; min-width: 6rem }
        .fold > summary { min-height: 2.75rem; padding-block: .5rem; cursor: pointer; color: var(--action); font-weight: 600 }
        .fold > * + * { margin-top: .75rem }
        .table-box { overflow: auto; max-width: 100%; background: var(--surface); border: 1px solid var(--line);
          border-radius: .5rem }
        .table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: .9375rem }
        .table :is(th, td) { padding: .5rem 1rem; text-align: start; vertical-align: top;
          border-bottom: 1px solid var(--line); overflow-wrap: break-word; min-width: 7rem }
        .table thead th { background: var(--sunken) }
        .table tbody th { font-weight: 400 }
        .table tbody tr:last-child > * { border-bottom: 0 }
        .facts > div { display: grid; gap: 0 1rem; padding-block: .5rem; border-bottom: 1px solid var(--line) }
        .facts > div:target { background: var(--info-ground) }
        @media (min-width: 40rem) { .facts > div { grid-template-columns: 18rem minmax(0, 1fr) } }
        @media print { .bar, .side, .copy { display: none } }

        """
}
