#include "threads.h"

#include <thread>

#include "cuda.h"
#include "plugin.h"

namespace host {

Value runInThreads(const Value& a) {
  const int64_t rounds = a[0].integer();
  const List& scripts = a[1].items();
  std::vector<List> statuses(scripts.size());
  std::vector<std::thread> threads;
  cudaTurns(static_cast<int>(scripts.size()));
  for (size_t t = 0; t < scripts.size(); ++t) {
    threads.emplace_back([&, t] {
      cudaTakeTurn(static_cast<int>(t));
      for (int64_t round = 0; round < rounds; ++round) {
        for (const Value& step : scripts[t].items()) {
          Plugin* plugin = keptPlugin(step[0].integer());
          if (plugin == nullptr) continue;
          statuses[t].push_back(plugin->shapeChange(step[1], step[2]));
          statuses[t].push_back(plugin->run(step[3]));
        }
      }
      cudaTurnOver();
    });
  }
  for (std::thread& thread : threads) thread.join();
  cudaTurns(0);
  List rows;
  for (List& row : statuses) rows.push_back(Value(row));
  return rows;
}

}  // namespace host
