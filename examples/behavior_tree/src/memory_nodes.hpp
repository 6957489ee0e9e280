// Nodes of BehaviorTree.CPP 4 for robot_memory: Brief asks before an action, Attempt stores how it ended.
//
// They never block a tick. The responses arrive while the ROS node spins: in another thread, or between ticks as in
// pick.cpp.

#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "behaviortree_cpp/bt_factory.h"
#include "rclcpp/rclcpp.hpp"
#include "robot_memory/srv/begin_attempt.hpp"
#include "robot_memory/srv/brief.hpp"
#include "robot_memory/srv/end_attempt.hpp"

namespace robot_memory_bt
{

// A service, called from ticks: one request at a time. It is sent again while no response comes, as while the two
// programs discover each other; so a request that writes needs an idempotency key.
template<class Service>
class Call
{
public:
  using Request = typename Service::Request;
  using Response = typename Service::Response;

  enum class State { WAITING, RESPONDED, FAILED };

  Call(const rclcpp::Node::SharedPtr & node, const std::string & name)
  : node_(node), client_(node->create_client<Service>(name))
  {
  }

  void send(const Request & request)
  {
    forget();
    request_ = std::make_shared<Request>(request);
    const auto now = std::chrono::steady_clock::now();
    resend_at_ = now;
    give_up_at_ = now + GIVE_UP_AFTER;
    poll();
  }

  // What became of the request; once it is not WAITING the call is over.
  State poll()
  {
    if (!request_) {
      return State::FAILED;
    }
    if (sent_ && sent_->wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
      response_ = sent_->get();
      sent_.reset();
      request_.reset();
      if (response_->success) {
        return State::RESPONDED;
      }
      RCLCPP_WARN(
        node_->get_logger(), "%s: %s: %s", client_->get_service_name(), response_->error_code.c_str(),
        response_->error.c_str());
      return State::FAILED;
    }
    const auto now = std::chrono::steady_clock::now();
    if (now >= give_up_at_) {
      RCLCPP_WARN(node_->get_logger(), "%s did not respond", client_->get_service_name());
      forget();
      return State::FAILED;
    }
    if (now >= resend_at_ && client_->service_is_ready()) {
      drop_sent();
      sent_.emplace(client_->async_send_request(request_));
      resend_at_ = now + RESEND_AFTER;
    }
    return State::WAITING;
  }

  // Of the last call that RESPONDED.
  const Response & response() const {return *response_;}

  // Takes no response any more.
  void forget()
  {
    drop_sent();
    request_.reset();
  }

private:
  static constexpr std::chrono::milliseconds RESEND_AFTER{500};
  static constexpr std::chrono::milliseconds GIVE_UP_AFTER{3000};

  void drop_sent()
  {
    if (sent_) {
      client_->remove_pending_request(*sent_);
      sent_.reset();
    }
  }

  rclcpp::Node::SharedPtr node_;
  typename rclcpp::Client<Service>::SharedPtr client_;
  typename Request::SharedPtr request_;
  std::optional<typename rclcpp::Client<Service>::FutureAndRequestId> sent_;
  typename Response::SharedPtr response_;
  std::chrono::steady_clock::time_point resend_at_;
  std::chrono::steady_clock::time_point give_up_at_;
};

// What makes a repeated write one write.
inline std::string idempotency_key()
{
  std::random_device random;
  std::string key = "bt";
  for (int i = 0; i < 4; ++i) {
    key += "-" + std::to_string(random());
  }
  return key;
}

// A parameter with its value, as the memory takes it.
inline std::string params_json(const std::string & parameter, double value)
{
  return "{\"" + parameter + "\": " + std::to_string(value) + "}";
}

// Asks what is known. SUCCESS when no rule forbids the planned value. FAILURE when one does, and without a response:
// rules that were not read are not rules that were kept.
class Brief : public BT::StatefulActionNode
{
public:
  Brief(
    const std::string & name, const BT::NodeConfig & config, const rclcpp::Node::SharedPtr & node,
    const std::string & memory)
  : BT::StatefulActionNode(name, config),
    brief_(node, memory + "/brief")
  {
  }

  static BT::PortsList providedPorts()
  {
    return {
      BT::InputPort<std::string>("task"),
      BT::InputPort<std::string>("object"),
      BT::InputPort<std::string>("parameter", "name of the planned parameter, as force_n"),
      BT::InputPort<std::string>("path", "the same in the briefing, without its unit: params.force"),
      BT::InputPort<double>("value", "its planned value"),
      BT::OutputPort<double>("chosen", "the median of the values that worked, else the planned one"),
      BT::OutputPort<std::string>("sentence"),
    };
  }

  BT::NodeStatus onStart() override
  {
    robot_memory::srv::Brief::Request request;
    request.task = getInput<std::string>("task").value();
    request.object = getInput<std::string>("object").value();
    planned_ = getInput<double>("value").value();
    request.params = params_json(getInput<std::string>("parameter").value(), planned_);
    brief_.send(request);
    return BT::NodeStatus::RUNNING;
  }

  BT::NodeStatus onRunning() override
  {
    switch (brief_.poll()) {
      case Call<robot_memory::srv::Brief>::State::WAITING:
        return BT::NodeStatus::RUNNING;
      case Call<robot_memory::srv::Brief>::State::FAILED:
        return BT::NodeStatus::FAILURE;
      case Call<robot_memory::srv::Brief>::State::RESPONDED:
        break;
    }
    const auto & known = brief_.response();
    setOutput("sentence", known.sentence_en);
    setOutput("chosen", median(known).value_or(planned_));
    return known.allowed ? BT::NodeStatus::SUCCESS : BT::NodeStatus::FAILURE;
  }

  void onHalted() override {brief_.forget();}

private:
  // Attempts on the object or its kind are before those on other objects.
  std::optional<double> median(const robot_memory::srv::Brief::Response & known)
  {
    const auto path = getInput<std::string>("path").value();
    for (const auto & group : known.attempts) {
      for (const auto & number : group.numbers) {
        if (group.nearness != "task" && number.path == path && number.success_count > 0) {
          return number.success_range.at(2);
        }
      }
    }
    return std::nullopt;
  }

  Call<robot_memory::srv::Brief> brief_;
  double planned_ = 0.0;
};

// Stores its child as an attempt: begun before the first tick of it, ended with its outcome, or as cancelled when it is
// halted. A memory that does not respond delays the child, and changes nothing else.
class Attempt : public BT::DecoratorNode
{
public:
  Attempt(
    const std::string & name, const BT::NodeConfig & config, const rclcpp::Node::SharedPtr & node,
    const std::string & memory)
  : BT::DecoratorNode(name, config),
    begin_(node, memory + "/begin_attempt"),
    end_(node, memory + "/end_attempt")
  {
  }

  static BT::PortsList providedPorts()
  {
    return {
      BT::InputPort<std::string>("task"),
      BT::InputPort<std::string>("object"),
      BT::InputPort<std::string>("parameter"),
      BT::InputPort<double>("value"),
      BT::InputPort<std::string>("reason", "", "why the child failed, which it wrote"),
    };
  }

  BT::NodeStatus tick() override
  {
    if (phase_ == Phase::IDLE) {
      setStatus(BT::NodeStatus::RUNNING);
      begin();
      phase_ = Phase::BEGINNING;
    }
    if (phase_ == Phase::BEGINNING) {
      const auto state = begin_.poll();
      if (state == Call<robot_memory::srv::BeginAttempt>::State::WAITING) {
        return BT::NodeStatus::RUNNING;
      }
      const bool is_stored = state == Call<robot_memory::srv::BeginAttempt>::State::RESPONDED;
      attempt_id_ = is_stored ? begin_.response().attempt_id : 0;
      phase_ = Phase::ACTING;
    }
    if (phase_ == Phase::ACTING) {
      outcome_ = child_node_->executeTick();
      if (outcome_ == BT::NodeStatus::RUNNING) {
        return BT::NodeStatus::RUNNING;
      }
      resetChild();
      // A skipped child did nothing that could have an outcome.
      end(
        outcome_ == BT::NodeStatus::SUCCESS ? Ended::OUTCOME_SUCCESS :
        outcome_ == BT::NodeStatus::FAILURE ? Ended::OUTCOME_FAILURE : Ended::OUTCOME_CANCELLED);
      phase_ = Phase::ENDING;
    }
    if (end_.poll() == Call<robot_memory::srv::EndAttempt>::State::WAITING) {
      return BT::NodeStatus::RUNNING;
    }
    phase_ = Phase::IDLE;
    return outcome_;
  }

  void halt() override
  {
    if (phase_ == Phase::ACTING) {
      end(Ended::OUTCOME_CANCELLED);
    }
    begin_.forget();
    phase_ = Phase::IDLE;
    BT::DecoratorNode::halt();
  }

private:
  using Ended = robot_memory::srv::EndAttempt::Request;

  enum class Phase { IDLE, BEGINNING, ACTING, ENDING };

  void begin()
  {
    robot_memory::srv::BeginAttempt::Request request;
    request.task = getInput<std::string>("task").value();
    request.object = getInput<std::string>("object").value();
    request.params = params_json(
      getInput<std::string>("parameter").value(), getInput<double>("value").value());
    request.idempotency_key = idempotency_key();
    begin_.send(request);
  }

  // Sends how it ended; of an attempt that was not stored nothing.
  void end(const std::string & outcome)
  {
    if (attempt_id_ == 0) {
      return;
    }
    Ended request;
    request.attempt_id = attempt_id_;
    request.outcome = outcome;
    if (outcome == Ended::OUTCOME_FAILURE) {
      request.reason = getInput<std::string>("reason").value_or("");
    }
    request.idempotency_key = idempotency_key();
    end_.send(request);
  }

  Call<robot_memory::srv::BeginAttempt> begin_;
  Call<robot_memory::srv::EndAttempt> end_;
  Phase phase_ = Phase::IDLE;
  BT::NodeStatus outcome_ = BT::NodeStatus::IDLE;
  int64_t attempt_id_ = 0;
};

inline void register_nodes(
  BT::BehaviorTreeFactory & factory, const rclcpp::Node::SharedPtr & node, const std::string & memory)
{
  factory.registerNodeType<Brief>("Brief", node, memory);
  factory.registerNodeType<Attempt>("Attempt", node, memory);
}

}  // namespace robot_memory_bt
