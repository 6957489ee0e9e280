// Runs trees/pick.xml with a gripper that is only simulated: its grip slips below 8 N.
//
//   ros2 run robot_memory_behavior_tree pick TREE [OBJECT [PLANNED_N [HALT_AFTER_TICKS]]]

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <string>

#include "memory_nodes.hpp"

namespace
{

// In place of a gripper: it needs some ticks.
class Grasp : public BT::StatefulActionNode
{
public:
  using BT::StatefulActionNode::StatefulActionNode;

  static BT::PortsList providedPorts()
  {
    return {BT::InputPort<double>("force_n"), BT::OutputPort<std::string>("reason")};
  }

  BT::NodeStatus onStart() override
  {
    ticks_left_ = 10;
    return BT::NodeStatus::RUNNING;
  }

  BT::NodeStatus onRunning() override
  {
    if (--ticks_left_ > 0) {
      return BT::NodeStatus::RUNNING;
    }
    if (getInput<double>("force_n").value() >= 8.0) {
      return BT::NodeStatus::SUCCESS;
    }
    setOutput("reason", std::string("slipped"));
    return BT::NodeStatus::FAILURE;
  }

  void onHalted() override {}

private:
  int ticks_left_ = 0;
};

}  // namespace

int main(int argc, char ** argv)
{
  const auto arguments = rclcpp::init_and_remove_ros_arguments(argc, argv);
  if (arguments.size() < 2) {
    std::cerr << "usage: pick TREE [OBJECT [PLANNED_N [HALT_AFTER_TICKS]]]\n";
    return 2;
  }
  const auto node = std::make_shared<rclcpp::Node>("pick");
  const auto memory = node->declare_parameter<std::string>("memory", "/robot_memory");
  int code = EXIT_FAILURE;
  try {
    BT::BehaviorTreeFactory factory;
    robot_memory_bt::register_nodes(factory, node, memory);
    factory.registerNodeType<Grasp>("Grasp");
    const auto blackboard = BT::Blackboard::create();
    blackboard->set("object", arguments.size() > 2 ? arguments[2] : std::string("red glass cup"));
    blackboard->set("planned_n", arguments.size() > 3 ? std::stod(arguments[3]) : 9.0);
    blackboard->set("reason", std::string());
    const int ticks_max = arguments.size() > 4 ? std::stoi(arguments[4]) : 1000;
    auto tree = factory.createTreeFromFile(arguments[1], blackboard);

    // Programs that have just started need up to some seconds until they see each other.
    const auto brief = node->create_client<robot_memory::srv::Brief>(memory + "/brief");
    brief->wait_for_service(std::chrono::seconds(10));

    auto status = BT::NodeStatus::RUNNING;
    for (int i = 0; i < ticks_max && rclcpp::ok() && status == BT::NodeStatus::RUNNING; ++i) {
      rclcpp::spin_some(node);
      status = tree.tickOnce();
      tree.sleep(std::chrono::milliseconds(10));
    }
    tree.haltTree();
    std::string sentence;
    if (blackboard->get("sentence", sentence)) {
      std::cout << sentence << "\n";
    }
    std::cout << BT::toStr(status) << "\n";
    code = status == BT::NodeStatus::SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception & error) {
    std::cerr << error.what() << "\n";
  }
  rclcpp::shutdown();
  return code;
}
