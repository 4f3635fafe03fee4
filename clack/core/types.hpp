// Linear-algebra types shared by all rooms.
#pragma once

#include <Eigen/Dense>

namespace clack {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;  // column-major
using VectorRef = Eigen::Ref<Vector>;
using MatrixRef = Eigen::Ref<Matrix>;
using ConstVectorRef = const Eigen::Ref<const Vector>&;
using ConstMatrixRef = const Eigen::Ref<const Matrix>&;
using VectorMap = Eigen::Map<Vector>;
using ConstVectorMap = Eigen::Map<const Vector>;
using MatrixMap = Eigen::Map<Matrix>;
using ConstMatrixMap = Eigen::Map<const Matrix>;

}  // namespace clack
