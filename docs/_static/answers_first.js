// The search shows first what answers a pasted message, or a name of another library: answers.js has them.
document.addEventListener('DOMContentLoaded', function () {
  if (typeof Search === 'undefined' || !window.ANSWERS) return;
  var answers = window.ANSWERS.answers;

  function words(text) {
    return new Set((text.toLowerCase().match(/[a-z_][a-z_0-9]*|\d+/g) || []));
  }

  // A word that few messages have says more than one that many have.
  var count = new Map();
  var sets = answers.map(function (answer) {
    // Many paste a message without the class of the error.
    var plain = words(answer[0].replace(/^[\w.]+(Error|Exception): /, ''));
    var set = plain.size > 2 ? plain : words(answer[0]);
    set.forEach(function (word) { count.set(word, (count.get(word) || 0) + 1); });
    return set;
  });
  function weight(word) { return Math.log(1 + answers.length / (count.get(word) || 1)); }
  function sum(set) {
    var total = 0;
    set.forEach(function (word) { total += weight(word); });
    return total;
  }

  // How much of a message a query has, and how much of the query is in the message.
  function likeness(inQuery, index) {
    var common = new Set(Array.from(sets[index]).filter(function (word) { return inQuery.has(word); }));
    if (common.size < 2 || !answers[index][2]) return 0;
    var shared = sum(common);
    var ofMessage = shared / sum(sets[index]);
    var ofQuery = shared / sum(inQuery);
    var whole = common.size === sets[index].size ? 1 : 0;
    if (ofMessage < 0.75 && (ofQuery < 0.85 || inQuery.size < 3)) return 0;
    return whole + ofMessage + ofQuery / 2 + shared / 1000;
  }

  function best(query) {
    var wanted = query.trim().replace(/[()]+$/, '');
    var named = answers.find(function (answer) { return answer[3].includes(wanted); });
    if (named) return named;
    var inQuery = words(query);
    if (inQuery.size < 2) return null;
    var top = [0, null];
    answers.forEach(function (answer, index) {
      var like = likeness(inQuery, index);
      if (like > top[0]) top = [like, answer];
    });
    return top[1];
  }

  var plain = Search._performSearch;
  Search._performSearch = function (query) {
    var results = plain.apply(Search, arguments);
    var answer = best(query);
    if (!answer) return results;
    // The page would have a mark at each word of the message.
    localStorage.removeItem('sphinx_highlight_terms');
    var page = answer[1];
    var anchor = answer[2] ? '#' + answer[2] : '';
    results = results.filter(function (result) { return result[0] !== page || (result[2] || '') !== anchor; });
    var title = window.ANSWERS.titles[page] || '';
    title = answer[2] ? title + ' > ' + answer[0] : title;
    // Names of classes stand in messages: a title is HTML.
    title = title.replace(/&/g, '&amp;').replace(/</g, '&lt;');
    // The last one is shown first.
    results.push([page, title, anchor, null, 1000, page + '.md', 'title']);
    return results;
  };
});
