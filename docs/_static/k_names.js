// The entries of the functions stood on the pages of their topics once. An old link, api/conv.html#keras_backend.conv2d,
// goes on to the page of the function.
(function () {
  var old = location.hash.match(/^#keras_backend\.(\w+)$/);
  if (!old || !/\/api\/\w+\.html$/.test(location.pathname)) return;
  document.addEventListener('DOMContentLoaded', function () {
    if (!document.getElementById(location.hash.slice(1))) location.replace(old[1] + '.html' + location.hash);
  });
})();

// A search for K.conv2d is one for conv2d: Sphinx would look for the K, too, and mark each k of the page that is found.
(function () {
  var query = new URLSearchParams(location.search);
  var name = /\b(K|keras_backend)\.(?=\w)/g;
  if (!/\/search\.html$/.test(location.pathname) || !name.test(query.get('q') || '')) return;
  query.set('q', query.get('q').replace(name, ''));
  location.replace('?' + query);
})();
