// The granular scene in Bullet, and its impulses as a one-step problem of ours.
#pragma once

#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

#include "bench/granular_scene.hpp"
#include "clack/problem/body_problem.hpp"

namespace clack::bench {

inline btVector3 to_bullet(const Vector3& x) {
  return {static_cast<btScalar>(x.x()), static_cast<btScalar>(x.y()), static_cast<btScalar>(x.z())};
}
inline Vector3 from_bullet(const btVector3& x) { return {x.x(), x.y(), x.z()}; }

// Sequential impulses with Bullet's default options; bodies never sleep, no damping.
class BulletPile {
 public:
  BulletPile(const GranularScene& scene, int iterations)
      : dispatcher_(&configuration_),
        world_(&dispatcher_, &broad_phase_, &solver_, &configuration_) {
    world_.setGravity(to_bullet(scene.world->gravity));
    world_.getSolverInfo().m_numIterations = iterations;
    for (std::size_t i = 0; i < scene.world->bodies.size(); ++i)
      add(scene.world->bodies[i], scene.start.state.bodies[i]);
  }
  ~BulletPile() {
    for (auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  BulletPile(const BulletPile&) = delete;
  BulletPile& operator=(const BulletPile&) = delete;

  void step() { world_.stepSimulation(kGranularStep, 1, kGranularStep); }

  // Steps once and builds the problem of that step from Bullet's contacts: r from the impulses that
  // it has applied, free velocities from those before the step.
  BodyProblem observed_step(std::vector<double>& r, double& mismatch) {
    BodyProblem problem;
    for (const auto& body : bodies_) problem.bodies.push_back(rigid_body(*body));
    std::vector<Vector3> centres;
    for (const auto& body : bodies_)
      centres.push_back(from_bullet(body->getWorldTransform().getOrigin()));
    step();
    for (int m = 0; m < dispatcher_.getNumManifolds(); ++m) {
      const btPersistentManifold& manifold = *dispatcher_.getManifoldByIndexInternal(m);
      for (int k = 0; k < manifold.getNumContacts(); ++k)
        add_contact(manifold, manifold.getContactPoint(k), centres, problem, r);
    }
    mismatch = velocity_mismatch(problem, r);
    return problem;
  }

 private:
  void add(const Body& body, const BodyState& state) {
    const bool free = body.is_free();
    const auto mass = static_cast<btScalar>(free ? body.mass : 0);
    if (free)
      shapes_.push_back(
          std::make_unique<btSphereShape>(static_cast<btScalar>(body.shape->as<Sphere>().radius)));
    else
      shapes_.push_back(
          std::make_unique<btStaticPlaneShape>(to_bullet(body.shape->as<Plane>().normal), 0));
    btVector3 inertia(0, 0, 0);
    if (free) shapes_.back()->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shapes_.back().get(), inertia);
    info.m_startWorldTransform.setIdentity();
    info.m_startWorldTransform.setOrigin(to_bullet(state.position));
    info.m_friction = std::sqrt(0.5f);  // Bullet multiplies
    info.m_restitution = 0;
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    bodies_.back()->setUserIndex(static_cast<int>(bodies_.size()) - 1);
    world_.addRigidBody(bodies_.back().get());
  }

  RigidBody rigid_body(const btRigidBody& body) const {
    RigidBody result;
    if (body.getInvMass() == 0) return result;
    result.inverse_mass = body.getInvMass();
    for (int k = 0; k < 3; ++k)
      result.inverse_inertia[static_cast<std::size_t>(k)] = body.getInvInertiaDiagLocal()[k];
    result.v_free =
        from_bullet(body.getLinearVelocity()) + kGranularStep * from_bullet(world_.getGravity());
    result.omega_free = from_bullet(body.getAngularVelocity());
    return result;
  }

  // Bullet's normal points from its second body to its first.
  void add_contact(const btPersistentManifold& manifold, const btManifoldPoint& point,
                   const std::vector<Vector3>& centres, BodyProblem& problem,
                   std::vector<double>& r) const {
    const int b = manifold.getBody0()->getUserIndex(), a = manifold.getBody1()->getUserIndex();
    const Vector3 middle =
        0.5 * (from_bullet(point.getPositionWorldOnA()) + from_bullet(point.getPositionWorldOnB()));
    const auto free = [&](int i) {
      return problem.bodies[static_cast<std::size_t>(i)].inverse_mass > 0;
    };
    BodyContact contact;
    contact.a = free(a) ? a : -1;
    contact.b = free(b) ? b : -1;
    contact.normal = from_bullet(point.m_normalWorldOnB).normalized();
    contact.arm_a = middle - centres[static_cast<std::size_t>(a)];
    contact.arm_b = middle - centres[static_cast<std::size_t>(b)];
    contact.mu = 0.5;
    contact.offset[0] = std::max(0.0, static_cast<double>(point.getDistance())) / kGranularStep;
    const Vector3 impulse =
        point.m_appliedImpulse * contact.normal +
        point.m_appliedImpulseLateral1 * from_bullet(point.m_lateralFrictionDir1) +
        point.m_appliedImpulseLateral2 * from_bullet(point.m_lateralFrictionDir2);
    problem.contacts.push_back(contact);
    r.resize(r.size() + 3);
    to_local(contact.normal, 3, impulse, r.data() + r.size() - 3);
  }

  // How far the velocities that follow from r are from Bullet's own, relative: does the translation
  // hold?
  double velocity_mismatch(const BodyProblem& problem, const std::vector<double>& r) const {
    std::vector<double> v(6 * problem.bodies.size());
    compute_velocity(problem, r.data(), v.data());
    double difference = 0, change = 0;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (problem.bodies[i].inverse_mass == 0) continue;
      const Vector3 own(v.data() + 6 * i);
      difference += (own - from_bullet(bodies_[i]->getLinearVelocity())).squaredNorm();
      change += (own - problem.bodies[i].v_free).squaredNorm();
    }
    return std::sqrt(difference / change);
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

}  // namespace clack::bench
