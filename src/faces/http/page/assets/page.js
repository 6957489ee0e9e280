// What the pages do beyond links and forms: times of this browser, and the focus after a view was swapped.
(function () {
  'use strict';
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  // Events follow each other within seconds.
  const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

  function localTimes(root) {
    for (const time of root.querySelectorAll('time[datetime]:not([title])')) {
      const at = new Date(time.dateTime);
      if (!isNaN(at)) {
        time.title = time.dateTime;
        time.textContent = (time.closest('.event') ? exact : format).format(at);
      }
    }
  }

  // On a phone the views do not fit beside each other.
  function showPlace() {
    const here = document.querySelector('#places [aria-current]');
    const bar = here && here.parentElement;
    if (bar) bar.scrollLeft = here.offsetLeft - (bar.clientWidth - here.offsetWidth) / 2;
  }

  // Who hears the page must be told that another one is there; who types must not be moved.
  function tell(main) {
    if (main && main.id === 'main') main.focus({ preventScroll: true });
  }

  document.addEventListener('htmx:afterSwap', function (event) {
    localTimes(document);
    showPlace();
    tell(event.detail.elt);
  });
  // "/" goes to the search, as in many programs.
  document.addEventListener('keydown', function (event) {
    const typing = event.target.closest && event.target.closest('input, textarea, select');
    if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const search = document.getElementById('q');
    event.preventDefault();
    if (search) search.focus();
    else location.assign('/');
  });
  localTimes(document);
  showPlace();
})();
