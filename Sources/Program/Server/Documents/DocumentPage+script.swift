/// The page's script; the page can be read without it. It is a separate file because the page allows nothing inline.
extension DocumentPage {
    static let script = searching + copying

    /// Filters guides, calls, shapes and codes while the reader types. On phones the menu closes after a choice.
    private static let searching = """
        (() => {
          const side = document.getElementById('side'), input = document.getElementById('search');
          const found = document.getElementById('found');
          const parts = [...document.querySelectorAll('.reading, .call, .facts > div, .shape')]
            .map(part => ({ part, text: part.textContent.toLowerCase() }));
          const groups = [...document.querySelectorAll('main > section')];
          const close = () => { if (side.matches(':popover-open')) side.hidePopover(); };
          const search = () => {
            const wanted = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
            let count = 0;
            for (const { part, text } of parts) {
              const fits = wanted.every(word => text.includes(word));
              part.hidden = !fits;
              if (fits) count += 1;
            }
            document.body.classList.toggle('searching', wanted.length > 0);
            for (const group of groups) {
              if (group.matches('.reading')) continue;
              group.hidden = wanted.length > 0
                && !group.querySelector(':is(.call, .facts > div, .shape):not([hidden])');
            }
            found.textContent = wanted.length === 0 ? ''
              : count === 0 ? 'Nothing found' : count === 1 ? '1 place found' : count + ' places found';
          };
          const show = () => {
            const target = location.hash && document.getElementById(location.hash.slice(1));
            if (!target || !target.closest('[hidden], .searching #standings')) return;
            input.value = '';
            search();
            target.scrollIntoView();
          };
          document.querySelector('.search').hidden = false;
          input.addEventListener('input', search);
          input.addEventListener('keydown', event => {
            if (event.key !== 'Enter') return;
            close();
            document.getElementById('main').scrollIntoView();
          });
          side.addEventListener('click', event => { if (event.target.closest('a')) close(); });
          addEventListener('hashchange', show);
          search();
        })();

        """

    /// Browsers offer no clipboard to pages without TLS; the old way remains for those.
    private static let copying = """
        (() => {
          const copyOldWay = code => {
            getSelection().selectAllChildren(code);
            const isDone = document.execCommand('copy');
            getSelection().removeAllRanges();
            return isDone;
          };
          const copy = async code => {
            try {
              await navigator.clipboard.writeText(code.textContent);
              return true;
            } catch {
              return copyOldWay(code);
            }
          };
          for (const example of document.querySelectorAll('.curl')) {
            const button = document.createElement('button');
            button.type = 'button';
            button.className = 'button copy';
            button.textContent = 'Copy';
            button.addEventListener('click', async () => {
              button.textContent = await copy(example.querySelector('code')) ? 'Copied' : 'Not copied';
              setTimeout(() => { button.textContent = 'Copy'; }, 2000);
            });
            example.append(button);
          }
        })();

        """
}
