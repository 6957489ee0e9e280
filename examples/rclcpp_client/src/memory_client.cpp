// A client of robot_memory in C++: around one action of a skill, it asks what is known and stores how it ended.
//
//   ros2 run robot_memory_rclcpp_client memory_client --ros-args -p memory:=/robot_memory

#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "rclcpp/rclcpp.hpp"
#include "robot_memory/srv/begin_attempt.hpp"
#include "robot_memory/srv/brief.hpp"
#include "robot_memory/srv/end_attempt.hpp"

using robot_memory::srv::BeginAttempt;
using robot_memory::srv::Brief;
using robot_memory::srv::EndAttempt;

namespace
{

constexpr std::chrono::seconds TIMEOUT{5};
constexpr int TRIES_MAX = 3;

// A call with the same key is done once, however often it is sent.
std::string new_key()
{
  std::random_device random;
  std::string key;
  for (int i = 0; i < 4; ++i) {
    key += std::to_string(random()) + "-";
  }
  return key + "attempt";
}

// Calls a service and waits, so it may not be used inside a callback of this node. Throws without a response, and
// with the memory's error when it refuses.
template<class Service>
typename Service::Response::SharedPtr call(
  const rclcpp::Node::SharedPtr & node, const std::string & name,
  const typename Service::Request & request)
{
  const auto client = node->create_client<Service>(name);
  for (int i = 0; i < TRIES_MAX; ++i) {
    if (!client->wait_for_service(TIMEOUT)) {
      continue;
    }
    auto sent = client->async_send_request(std::make_shared<typename Service::Request>(request));
    if (rclcpp::spin_until_future_complete(node, sent, TIMEOUT) == rclcpp::FutureReturnCode::SUCCESS) {
      const auto response = sent.get();
      if (!response->success) {
        throw std::runtime_error(name + ": " + response->error_code + ": " + response->error);
      }
      return response;
    }
    client->remove_pending_request(sent);
  }
  throw std::runtime_error(name + " did not respond");
}

// What a skill does; here it only says so.
bool grip(const rclcpp::Node & node, double force_n)
{
  RCLCPP_INFO(node.get_logger(), "gripping with %.1f N", force_n);
  return force_n >= 8.0;
}

// The median force of the attempts that succeeded on the object or on its kind.
std::optional<double> force_that_worked(const Brief::Response & brief)
{
  for (const auto & group : brief.attempts) {
    for (const auto & number : group.numbers) {
      if (group.nearness != "task" && number.path == "params.force" && number.success_count > 0) {
        return number.success_range.at(2);
      }
    }
  }
  return std::nullopt;
}

void pick(const rclcpp::Node::SharedPtr & node, const std::string & memory)
{
  Brief::Request question;
  question.task = "pick";
  question.object = "red glass cup";
  question.params = R"({"force_n": 9})";
  const auto brief = call<Brief>(node, memory + "/brief", question);
  RCLCPP_INFO(node->get_logger(), "%s", brief->sentence_en.c_str());
  if (!brief->allowed) {
    RCLCPP_WARN(node->get_logger(), "not done: %s", brief->violations.at(0).reason.c_str());
    return;
  }
  const double force_n = force_that_worked(*brief).value_or(9.0);

  BeginAttempt::Request begin;
  begin.task = question.task;
  begin.object = question.object;
  begin.params = R"({"force_n": )" + std::to_string(force_n) + "}";
  begin.context = R"({"spatial": {"object_position": [1.2, 0.4, 0.9], "frame": "map"}})";
  begin.idempotency_key = new_key();
  const auto begun = call<BeginAttempt>(node, memory + "/begin_attempt", begin);

  const bool is_held = grip(*node, force_n);

  EndAttempt::Request end;
  end.attempt_id = begun->attempt_id;
  end.outcome = is_held ? end.OUTCOME_SUCCESS : end.OUTCOME_FAILURE;
  end.reason = is_held ? "" : "slipped";
  end.idempotency_key = new_key();
  const auto ended = call<EndAttempt>(node, memory + "/end_attempt", end);
  RCLCPP_INFO(
    node->get_logger(), "attempt %ld: %s after %.3f s", static_cast<long>(ended->attempt_id),
    ended->outcome.c_str(), ended->duration_secs);
}

}  // namespace

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  int code = EXIT_SUCCESS;
  const auto node = std::make_shared<rclcpp::Node>("memory_client");
  try {
    pick(node, node->declare_parameter<std::string>("memory", "/robot_memory"));
  } catch (const std::exception & error) {
    RCLCPP_ERROR(node->get_logger(), "%s", error.what());
    code = EXIT_FAILURE;
  }
  rclcpp::shutdown();
  return code;
}
