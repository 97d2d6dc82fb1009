/// The page's style sheet. It is a separate file because the page allows nothing inline.
extension DocumentPage {
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
        .side-head { padding-inline: .75rem; margin-block: 1rem .25rem; font-size: .8125rem; font-weight: 650; color: var(--soft) }
        .side-close { display: block; margin: 0 .75rem 1rem auto }
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
          .bar-menu, .side-close { display: none !important }
        }

        """

    private static let parts = """
        .input { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit; color: var(--ink);
          background: var(--surface); border: 1px solid var(--edge); border-radius: .5rem }
        label { display: block; font-weight: 600 }
        .search { padding-inline: .75rem }
        .search .hint { min-height: 1.5rem; font-size: .875rem }
        .searching .index, .searching #standings { display: none }
        .index { list-style: none; columns: 24rem 2; column-gap: 2rem }
        .index li { break-inside: avoid; padding-block: .3rem; line-height: 1.35 }
        .index code { display: block; color: var(--soft); font-size: .8125rem }
        .card { background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem 1.5rem;
          min-width: 0 }
        .card > * + * { margin-top: .75rem }
        .path { font-size: 1rem }
        .tag { display: inline-block; padding: .1rem .55rem; border-radius: 99rem; font-size: .8125rem; font-weight: 600;
          color: var(--soft); background: var(--sunken); white-space: nowrap }
        .tag-line { background: none; box-shadow: inset 0 0 0 1px var(--edge) }
        .tag-warn { color: var(--warn); background: var(--warn-ground) }
        .who { display: flex; flex-wrap: wrap; gap: .25rem .35rem; align-items: baseline }
        .curl { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: flex-start; padding: .75rem 1rem;
          border-radius: .5rem; background: var(--sunken) }
        .curl pre { flex: 1 1 16rem; min-width: 0 }
        .curl code { white-space: pre-wrap }
        .button { min-height: 2.75rem; padding: .25rem .75rem; border: 1px solid var(--edge); border-radius: .5rem;
          background: var(--surface); color: var(--ink); font: inherit; font-size: .8125rem; font-weight: 600; cursor: pointer }
        .button:hover { border-color: var(--ink) }
        .copy { min-width: 5.5rem; margin-inline-start: auto }
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
        .shape { padding-top: 1rem }
        .shape > * + * { margin-top: .5rem }
        .facts > div { display: grid; gap: 0 1rem; padding-block: .5rem; border-bottom: 1px solid var(--line) }
        :target:is(.facts > div, .call, .shape) { box-shadow: 0 0 0 3px var(--action); border-radius: .75rem }
        .facts > div:target { padding-inline: .75rem; background: var(--info-ground) }
        @media (min-width: 40rem) { .facts > div { grid-template-columns: 18rem minmax(0, 1fr) } }
        @media (max-width: 39.99rem) {
          .card { padding: 1rem }
          .table, .table :is(tbody, tr, th, td) { display: block }
          .table thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
          .table tr { padding: .5rem .75rem; border-bottom: 1px solid var(--line) }
          .table tr:last-child { border-bottom: 0 }
          .table :is(th, td) { min-width: 0; padding: .1rem 0; border: 0 }
          .table td:empty { display: none }
        }
        @media print {
          :root { --paper: #fff; --surface: #fff; --ink: #000; --soft: #333; --line: #bbb; --action: #000 }
          .bar, .side[popover], .skip, .copy { display: none !important }
          .frame-side { display: block }
          .main { max-width: none; padding: 0 }
          .card, .shape, .facts > div, tr { break-inside: avoid }
          h2, h3 { break-after: avoid }
          .fold::details-content { display: block; content-visibility: visible; height: auto }
        }

        """
}
